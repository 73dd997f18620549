'use strict'

// The name of a file in a sentence: of a package's file with the package, since there are many of `index.js`.

/** @param {string} file  path or URL */
function showFile (file) {
  const parts = file.replaceAll('\\', '/').split('/')
  const modules = parts.lastIndexOf('node_modules')
  return modules === -1 ? parts[parts.length - 1] : parts.slice(modules + 1).join('/')
}

module.exports = { showFile }
