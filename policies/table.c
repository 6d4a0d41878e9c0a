#include "table.h"

const struct pol_ops *const pol_table[] = { &pol_fifo, &pol_sjf, &pol_srtf, &pol_las, &pol_easy, &pol_drf, NULL };
