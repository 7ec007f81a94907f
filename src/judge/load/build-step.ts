import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { ToleranceCause } from '../report/index.js'
import type {
  BatchStep,
  CallTemplate,
  ComputeStep,
  Condition,
  Expectation,
  RawPart,
  SendingStep,
  SentStep,
  Step,
  Tolerance,
} from '../scenario/scenario.js'

/** Builds a step from a document that conforms to the schema. */
export function buildStep(step: JsonObject): Step {
  const sent = sentStep(step)
  if (sent !== undefined) return sent
  if (member(step, 'parallel') !== undefined) {
    const steps = arrayMember(step, 'parallel').filter(isObject).map(sentStep)
    return { kind: 'parallel', steps: steps.filter((one) => one !== undefined) }
  }
  if (member(step, 'skip-unless') !== undefined) {
    const reason = stringMember(step, 'reason') ?? ''
    return { kind: 'skip', ...condition(step, 'skip-unless'), reason }
  }
  return {
    kind: 'compute',
    function: stringMember(step, 'compute') ?? '',
    params: arrayMember(step, 'params'),
    expect: member(step, 'expect') as ComputeStep['expect'],
    capture: objectMember(step, 'capture') as Readonly<Record<string, string>>,
  }
}

function sentStep(step: JsonObject): SentStep | undefined {
  const share = member(step, 'share') === true
  if (member(step, 'call') !== undefined) {
    return { kind: 'call', call: callTemplate(step), share, ...sending(step) }
  }
  if (member(step, 'batch') !== undefined) {
    return {
      kind: 'batch',
      items: arrayMember(step, 'batch').filter(isObject).map(batchItem),
      share,
      ...(member(step, 'fill') === 'derived' ? { isFilled: true } : {}),
      ...sending(step),
    }
  }
  const raw = member(step, 'raw')
  if (raw === undefined) return undefined
  return { kind: 'raw', body: (isArray(raw) ? raw : [raw]).map(rawPart), ...sending(step) }
}

function callTemplate(call: JsonObject): CallTemplate {
  return {
    method: stringMember(call, 'call') ?? '',
    params: member(call, 'omit-params') === true ? undefined : (member(call, 'params') ?? []),
    id: stringMember(call, 'id'),
  }
}

function batchItem(item: JsonObject): BatchStep['items'][number] {
  return { ...callTemplate(item), times: member(item, 'times') }
}

function rawPart(part: JsonValue): RawPart {
  if (!isObject(part)) return { text: typeof part === 'string' ? part : '' }
  const hex = stringMember(part, 'hex')
  if (hex !== undefined) return { hex }
  const pause = member(part, 'pause')
  if (pause !== undefined) return { pause }
  return { repeat: stringMember(part, 'repeat') ?? '', times: member(part, 'times') ?? 1 }
}

function sending(step: JsonObject): SendingStep {
  const expect = member(step, 'expect')
  const captureHeader = objectMember(step, 'capture-header')
  return {
    headers: objectMember(step, 'headers') as SendingStep['headers'],
    verb: stringMember(step, 'verb'),
    path: stringMember(step, 'path'),
    key: keyOf(member(step, 'key')),
    expect: isObject(expect) ? expectation(expect) : undefined,
    tolerate: arrayMember(step, 'tolerate').filter(isObject).map(tolerance),
    inconclusive: arrayMember(step, 'inconclusive').filter(isObject).map(tolerance),
    capture: objectMember(step, 'capture') as SendingStep['capture'],
    captureHeader: captureHeader as unknown as SendingStep['captureHeader'],
    repeatUntil: repeatUntil(member(step, 'repeat-until')),
  }
}

function keyOf(key: JsonValue | undefined): SendingStep['key'] {
  if (typeof key === 'string') return key
  return isObject(key) ? { literal: stringMember(key, 'literal') ?? '' } : undefined
}

/** Expectations have the same members in YAML and in code. */
function expectation(document: JsonObject): Expectation {
  return document as Expectation
}

function tolerance(document: JsonObject): Tolerance {
  const onlyIf = member(document, 'only-if')
  const dependsOn = stringMember(document, 'depends-on')
  const suspect = member(document, 'suspect')
  return {
    ...(isObject(suspect) && { suspect: expectation(suspect) }),
    ...(dependsOn !== undefined && { dependsOn: dependsOn as ToleranceCause }),
    ...(isObject(onlyIf) ? { onlyIf: condition(onlyIf, 'value') } : {}),
    expect: expectation(objectMember(document, 'expect')),
    reason: stringMember(document, 'reason') ?? '',
  }
}

function condition(document: JsonObject, name: string): Condition {
  return { value: member(document, name) ?? null, is: member(document, 'is') ?? null }
}

function repeatUntil(document: JsonValue | undefined): SendingStep['repeatUntil'] {
  if (!isObject(document)) return undefined
  return {
    expect: expectation(objectMember(document, 'expect')),
    atMost: member(document, 'at-most') ?? 1,
    every: Number(member(document, 'every') ?? 0),
  }
}
