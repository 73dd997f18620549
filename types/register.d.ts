// node --require loopscope/register app.js: starts diagnostics with options from LOOPSCOPE_* variables. It exports nothing.
export {}
