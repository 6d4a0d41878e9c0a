/* limit.h -- the seconds that a test may take: ten times as many where a sanitizer slows it. */
#ifndef REF_LIMIT_H
#define REF_LIMIT_H

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMIT(seconds) (10 * (seconds))
#endif
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define LIMIT(seconds) (10 * (seconds))
#endif
#ifndef LIMIT
#define LIMIT(seconds) (seconds)
#endif

#endif
