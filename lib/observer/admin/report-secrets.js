'use strict'

// Takes out of Node's diagnostic report what may hold a secret: the environment, the command line, where it runs. Pure.

/**
 * @param {any} report
 * @returns {Record<string, unknown>}
 */
function withoutSecrets (report) {
  const { environmentVariables, header, workers = [], ...rest } = report
  const { commandLine, cwd, filename, networkInterfaces, ...facts } = header
  return { header: facts, ...rest, workers: workers.map(withoutSecrets) }
}

module.exports = { withoutSecrets }
