'use strict'

// The backend 'put': one file an item, to a URL with places to fill in, as object storage takes it.

const { FORMATS } = require('../../shared/formats/formats')
const { HEAP_FORMATS } = require('../../shared/formats/heap-profile')
const { fillTemplate } = require('../../shared/egress/addresses')

/** @import { HeapProfile } from '../../shared/formats/heap-profile' */
/** @import { EgressItem, RequestFor } from './backends' */

const JSON_TYPE = 'application/json; charset=utf-8'

/** @type {RequestFor} */
function requestForPut (item, { url }) {
  const { body, contentType } = contentOf(item)
  const { service, pid, host } = item.labels
  const time = new Date(item.fromMs).toISOString().replace(/[-:.]/g, '').toLowerCase()
  return {
    method: 'PUT',
    url: fillTemplate(url, { service, pid, host, kind: item.kind, file: item.fileName, time }),
    headers: { 'content-type': contentType },
    body
  }
}

/**
 * @param {EgressItem} item
 * @returns {{ body: Uint8Array | null, contentType: string }}
 */
function contentOf ({ file, report, profile, heapProfile, fromMs, appRoot, labels }) {
  if (file !== undefined) return { body: null, contentType: 'application/octet-stream' }
  const context = { appRoot, title: `${labels.service} (pid ${labels.pid})`, startedAt: fromMs }
  if (report !== undefined) return { body: Buffer.from(`${JSON.stringify(report, null, 2)}\n`), contentType: JSON_TYPE }
  if (profile !== undefined) return { body: FORMATS.pprof.encode(profile, context), contentType: FORMATS.pprof.contentType }
  const { encode, contentType } = HEAP_FORMATS.pprof
  return { body: encode(/** @type {HeapProfile} */ (heapProfile), context), contentType }
}

module.exports = { requestForPut }
