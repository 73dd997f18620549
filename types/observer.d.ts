// The entry of loopscope's thread, which a bundle names by the option observerFile: docs/bundlers.md. It exports nothing.
export {}
