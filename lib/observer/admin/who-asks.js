'use strict'

// Who asks for a capture, for the audit, and whether it is the user who owns the process. A process of its group that asks for somebody
// comes in at the control socket too, and says for whom: it may do no more than they.

/** @import { Trigger } from '../../../types/diagnostics' */
/** @import { AdminRequest } from './router' */

const ASKED_FOR = 'x-loopscope-asked-for'
const MAX_LENGTH = 200

/**
 * @param {Pick<AdminRequest, 'door' | 'peer' | 'headers'>} request
 * @returns {{ isOwner: boolean, trigger: Trigger, actor: string }}
 */
function whoAsks ({ door, peer, headers }) {
  const asker = door === 'control' ? headers[ASKED_FOR] : undefined
  if (asker !== undefined) return { isOwner: false, trigger: 'http', actor: `${String(asker).slice(0, MAX_LENGTH)}, through its group` }
  const isOwner = door === 'control'
  return { isOwner, trigger: isOwner ? 'cli' : 'http', actor: `${door} ${peer ?? 'this host'}` }
}

/**
 * @param {AdminRequest} request
 * @returns {Record<string, string>} headers for the processes that are asked for whoever asks
 */
function askedFor (request) {
  const { isOwner, actor } = whoAsks(request)
  return isOwner ? {} : { [ASKED_FOR]: actor }
}

module.exports = { askedFor, whoAsks }
