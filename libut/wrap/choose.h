/*
 * Which functions func.c records: those whose names a glob fits.
 */

#ifndef CHOOSE_H
#define CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOT_TRACED	__attribute__((no_instrument_function))

#define FUNC_GLOBS	16

/* What was found in a module that had not been looked at. */
struct func_found {
	const char	*path;		/* of its file */
	const char	*why;		/* there are no names; or NULL */
	uint32_t	 counts[FUNC_GLOBS];	/* functions, by glob */
};

extern size_t func_nglobs;
extern const char *func_globs[FUNC_GLOBS];

/* Globs with commas between; false: too many, or too long. */
bool	 func_choose(const char *) NOT_TRACED;
/*
 * Is that function chosen?  If its module had not been looked at, the function
 * behind is told what is there.  Takes no lock.
 */
bool	 func_chosen(const void *, void (*)(const struct func_found *))
	    NOT_TRACED;
/* A module was unloaded: another one may come to the same address. */
void	 func_unloaded(void) NOT_TRACED;
/* Read the file's symbols: those that are functions, and where they are. */
const char *func_read(int, void (*)(void *, const char *, uintptr_t), void *)
	    NOT_TRACED;

#endif /* CHOOSE_H */
