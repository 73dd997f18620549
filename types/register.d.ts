// node --require loopscope/register app.js: starts loopscope with options from LOOPSCOPE_* variables. It exports nothing.
export {}
