{{tailwind}}
/* Styles of every page. */
