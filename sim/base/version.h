/* version.h -- the version of the program, once.  Layer: base. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H
#define FAIRWAY_VERSION "0.1.0"
#endif
