import { isObject, type JsonValue, joinPointer, member } from '../contract/index.js'
import type { Change } from './change.js'
import { change, changedMembers, type DiffContext, everybody, sidesAt } from './diff-context.js'
import { diffTexts } from './diff-texts.js'
import { diffFailures, diffNetworks } from './extensions/diff-collection.js'
import { diffEnvelope } from './extensions/diff-envelope.js'
import { diffHttp } from './extensions/diff-http.js'
import { diffLimits } from './extensions/diff-limits.js'
import { unknownExtension } from './extensions/diff-method-extensions.js'
import { shown } from './words.js'

type Values = readonly [before: JsonValue | undefined, after: JsonValue | undefined]

/** An extension of the info object whose meaning is known, and a check of its form. */
interface KnownExtension {
  readonly fits: (value: JsonValue | undefined) => boolean
  readonly diff: (context: DiffContext, values: Values) => readonly Change[]
}

const known: Readonly<Record<string, KnownExtension>> = {
  'x-limits': { fits: isObject, diff: (_, values) => diffLimits(...values) },
  'x-networks': { fits: isObject, diff: (_, values) => diffNetworks(...values) },
  'x-failures': { fits: isObject, diff: (_, values) => diffFailures(...values) },
  'x-envelope': { fits: isObject, diff: (context, values) => diffEnvelope(context, ...values) },
  'x-node-calls': { fits: isObject, diff: (_, values) => diffNodeCalls(values) },
  'x-session': { fits: isObject, diff: (_, values) => diffSession(values) },
  'x-http': { fits: isObject, diff: (_, values) => diffHttp(...values) },
}

/** Extensions that only concern the service and its nodes. */
const unobserved: ReadonlySet<string> = new Set(['x-node-calls'])

/** Members that other functions compare together with methods. */
const elsewhere: ReadonlySet<string> = new Set(['version', 'x-rules'])

/** Compares the info object and its extensions (OpenRPC 1.3, info object). */
export function diffInfo(context: DiffContext): readonly Change[] {
  const [old, next] = [context.old.info, context.new.info]
  const isExtension = (name: string) => name.startsWith('x-')
  const extensions = changedMembers(old, next).filter((name) => isExtension(name) && !elsewhere.has(name))
  return [
    ...diffVersion(context),
    ...extensions.flatMap((name) => diffExtension(context, name, [member(old, name), member(next, name)])),
    ...diffTexts(
      context,
      { old: '#/info', new: '#/info', place: '#/info' },
      (name) => elsewhere.has(name) || isExtension(name),
    ),
  ]
}

/** Both sides of a connection frame messages alike, and a server may need the messages that open a session. */
function diffSession(values: Values): readonly Change[] {
  const pointer = '#/info/x-session'
  const reason = 'messages on connections are separated, or sessions opened, in another way'
  return [change('session-changed', pointer, everybody, reason, sidesAt(pointer, ...values))]
}

/** Reports changes of `x-node-calls`, which callers do not observe. */
function diffNodeCalls(values: Values): readonly Change[] {
  const pointer = '#/info/x-node-calls'
  return [change('extension-changed', pointer, [], 'callers do not observe it', sidesAt(pointer, ...values))]
}

function diffVersion({ old, new: next }: DiffContext): readonly Change[] {
  if (old.version === next.version) return []
  const pointer = '#/info/version'
  const reason = `version ${shown(old.version)} became ${shown(next.version)}`
  return [change('documentation-changed', pointer, [], reason, sidesAt(pointer, old.version, next.version))]
}

function diffExtension(context: DiffContext, name: string, values: Values): readonly Change[] {
  const pointer = joinPointer('#/info', name)
  if (unobserved.has(name)) {
    return [
      change('extension-changed', pointer, [], 'callers do not observe it', sidesAt(pointer, ...values)),
    ]
  }
  const extension = Object.hasOwn(known, name) ? known[name] : undefined
  const isUnderstood = extension && values.every((value) => value === undefined || extension.fits(value))
  return isUnderstood
    ? extension.diff(context, values)
    : [unknownExtension(name, pointer, sidesAt(pointer, ...values))]
}
