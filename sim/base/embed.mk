# Files that the program carries inside itself: views of the results, published figures, tables of searches and
# fits, the drawings, maps of published traces, the report's style and script, and what a policy of one's own begins
# with.
EMBED := sim/db/views.sql sim/compare/published.sql sim/search/search.sql sim/cmd/trace/fit.sql \
         $(sort $(wildcard plots/*.gp plots/*.sql sim/report/page/*)) \
         $(sort $(wildcard traces/maps/*.yaml)) $(addprefix policies/example/,example.c score.c Makefile)

$(B)/gen/embed.c: $(EMBED) sim/base/embed.sh
	@mkdir -p $(@D)
	$(Q)sh sim/base/embed.sh $(EMBED) > $@

$(B)/obj/gen/embed.o: $(B)/gen/embed.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

LIB += $(B)/obj/gen/embed.o
