// The real exports against the declared ones; checked by `npm run types`, never run. Either drift fails: an export that is not as
// declared, and one that is not declared at all.

import actual = require('../../lib/index')
import type Declared = require('../../types/index')

import { errors } from '../../lib/base/errors'
import { FORMATS } from '../../lib/formats/formats'
import { KINDS } from '../../lib/shared/captures/kinds'
import { ENGINES } from '../../lib/probe/recorder/engines'
import type { CaptureKind, EngineName, FormatName, LoopscopeErrorCode } from '../../types/diagnostics'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

export const declared: typeof Declared = actual

// Names only: what stands behind them was compared above.
export const hasNoUndeclaredExport: Exclude<keyof typeof actual, keyof typeof Declared> extends never ? true : false = true

export const handleIsDeclared: (options?: Declared.DiagnosticsOptions) => Declared.Diagnostics = actual.createDiagnostics

// The unions of names and the tables they come from.
export const codes: Same<keyof typeof errors, LoopscopeErrorCode> = true
export const formats: Same<keyof typeof FORMATS, FormatName> = true
export const kinds: Same<keyof typeof KINDS, CaptureKind> = true
export const engines: Same<keyof typeof ENGINES | 'auto', EngineName> = true
