'use strict'

// A URL in two parts: what may be on disk, and what may be secret (user, password, query: presigned URLs), which is added again on use.

const SECRET_PARTS = /^([a-z]+:\/\/)(?:([^/?#]*)@)?([^?#]*)(\?[^#]*)?/i

/** Works on the string, so that a template's placeholders are not changed. @param {string} url */
function withoutSecrets (url) {
  return url.replace(SECRET_PARTS, '$1$3').split('#')[0]
}

/**
 * @param {string} url  without secrets; it may have a query of its own
 * @param {string} configured  the URL with the secrets
 */
function withSecrets (url, configured) {
  const [, , credentials, , query = ''] = SECRET_PARTS.exec(configured) ?? []
  const [address, ownQuery] = url.split('?')
  const parameters = [ownQuery, query.slice(1)].filter(Boolean).join('&')
  const whole = new URL(parameters === '' ? address : `${address}?${parameters}`)
  if (credentials !== undefined) [whole.username, whole.password = ''] = credentials.split(/:(.*)/s)
  return whole
}

module.exports = { withoutSecrets, withSecrets }
