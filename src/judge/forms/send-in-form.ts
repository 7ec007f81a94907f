import { isArray, isObject, type JsonValue, member } from '../../toolkit/contract/index.js'
import { buildRequest, callText, type RequestContext } from '../requests/build-request.js'
import { type AnsweredRequest, type AnswerSource, sharedKey } from '../requests/shared-answers.js'
import { fill, fillText, type Variables } from '../scenario/fill.js'
import type { BatchStep, CallForm, SentStep } from '../scenario/scenario.js'
import { type Exchange, isUnanswered, type Outgoing, type Send } from '../send/exchange.js'
import { type LimitErrors, waitOfErrors } from '../send/limit-errors.js'
import { replyView } from '../send/reply-view.js'
import { formHeaders, formKind, formWords, isLiteral } from './call-form.js'
import type { SpelledCall, Spellings } from './spellings.js'

/** Context for sending a call in a form. */
export interface FormContext extends RequestContext {
  readonly send: Send
  /** Answers shared between cases. Without them, every request is sent. */
  readonly shared?: AnswerSource | undefined
  /** Returns the next request id of the run, for a request of several cases. */
  readonly anyId?: (() => number) | undefined
  /** Called with the request id of an item. */
  readonly onSharedId?: ((id: number) => void) | undefined
  /** Rate-limit errors. Undefined if the contract states no HTTP statuses for errors. */
  readonly limitErrors: LimitErrors | undefined
  /** Kinds of forms that the server does not answer. After its first unanswered request, a kind is not sent again. */
  readonly refusedForms?: Set<string> | undefined
  /** Other spellings of parameters. Without them, calls keep their own. */
  readonly spellings?: Spellings | undefined
}

/** The answer to a call in a form. */
export interface AnswerInForm extends AnsweredRequest {
  /** The form in words. */
  readonly form: string
  /** The kind of the form, which groups findings. */
  readonly kind: string
  /** The request that was sent, with all items of a batch. */
  readonly sent: Outgoing
  /** True if another case sent the request. */
  readonly isShared: boolean
  /** The call with another spelling of a parameter, if it was sent so. The request and the exchange have that of the step. */
  readonly spelled: SpelledCall | undefined
}

/** A form to which the server gives no answer. */
export interface RefusedForm {
  /** The form in words. */
  readonly refused: string
  readonly kind: string
  readonly exchange: Exchange
}

/** Kind of all forms that send the call in a batch. */
const batches = 'in a batch'

/** Appended to a padded body. White space after a JSON value is insignificant (RFC 8259, section 2). */
const padding = Buffer.alloc(400, ' ')

/**
 * Sends a step in a form.
 * @param expectsLimit true when the step expects a rate-limit answer
 * @returns undefined if the step must be sent alone: in a comparison, for a target without paths, or in a retry without
 *   the batch of another case. Also if a batch was not answered with a list, which only the case about the batch
 *   judges. Also if a limit refused this item and stated how long to wait, because another batch would repeat its other
 *   calls
 */
export async function sendInForm(
  step: SentStep,
  form: CallForm,
  variables: Variables,
  context: FormContext,
  expectsLimit: boolean,
): Promise<AnswerInForm | RefusedForm | undefined> {
  const { shared, target } = context
  if (context.anyId === undefined) return undefined
  const hasPaths = target.facts.has('key') && target.transport === 'http'
  const own: CallForm = {
    ...form,
    path: hasPaths ? form.path : undefined,
    key: target.facts.has(`${form.key}-key`) ? form.key : undefined,
  }
  const sent = {
    path: own.path ?? step.path,
    key: own.key ?? step.key,
    headers: { ...step.headers, ...formHeaders(own) },
  }
  const spelled = spelledCall(step, own, variables, context)
  const kind = [formKind(own), spelled?.words ?? ''].filter((part) => part !== '').join(', ')
  const words = [formWords(own), spelled?.words ?? ''].filter((part) => part !== '').join(', ')
  if (own.batch === undefined || step.kind !== 'call') {
    if (words === '') return undefined
    const request = buildRequest({ ...step, ...sent }, variables, context, expectsLimit)
    const [call] = request.calls ?? []
    const body = spelled && call ? callText({ ...call, params: spelled.params }) : request.outgoing.body
    const padded = own.isPadded === true && body !== undefined ? Buffer.concat([body, padding]) : body
    const outgoing = { ...request.outgoing, body: padded }
    const exchange = await context.send(outgoing)
    return {
      ...(spelled
        ? { request, exchange: { ...exchange, outgoing: request.outgoing } }
        : { request: { ...request, outgoing }, exchange }),
      sent: outgoing,
      form: words,
      kind,
      isShared: false,
      spelled,
    }
  }
  const { position, isOfOtherCase } = own.batch
  if (context.refusedForms?.has(batches) === true) return undefined
  const items = own.batch.items.map((item, at) =>
    spelled && at === position ? { ...item, params: spelled.params } : item,
  )
  const plain = { ...step, ...sent, kind: 'batch' as const, share: true, expect: undefined }
  const batch: BatchStep = { ...plain, items: items.map((item) => ({ ...item, times: undefined })) }
  const key = sharedKey(batch, variables, context)
  if (isOfOtherCase && shared?.has(key) !== true) return undefined
  const claim = await shared?.claim(key)
  let answered = claim?.answered
  const isShared = answered !== undefined
  if (answered === undefined) {
    try {
      const request = buildRequest(batch, variables, { ...context, nextId: context.anyId }, false)
      answered = { request, exchange: await context.send(request.outgoing) }
    } finally {
      claim?.settle(answered)
    }
  }
  if (isUnanswered(answered.exchange.trouble) && context.refusedForms?.has(batches) === false) {
    context.refusedForms.add(batches)
    return { refused: words, kind, exchange: answered.exchange }
  }
  const item = itemOf(answered, position, spelled && fill(step.call.params ?? [], variables))
  const { text = '' } = item?.exchange.reply ?? {}
  if (context.limitErrors && waitOfErrors(text, context.limitErrors) !== undefined) return undefined
  if (item !== undefined) context.onSharedId?.(Number(item.request.calls?.[0]?.id))
  return item && { ...item, sent: answered.request.outgoing, form: words, kind, isShared, spelled }
}

/** The call of a step with another spelling, unless other cases send it, too. */
function spelledCall(
  step: SentStep,
  { spelling, batch }: CallForm,
  variables: Variables,
  { spellings }: FormContext,
): SpelledCall | undefined {
  if (step.kind !== 'call' || spelling === undefined || batch?.isOfOtherCase === true) return undefined
  const { method, params } = step.call
  if (params === undefined) return undefined
  const spelled = spellings?.spell(fillText(method, variables), fill(params, variables), spelling)
  return isLiteral(spelled?.params) ? spelled : undefined
}

/**
 * The call at a position of a batch and its answer, as if they had been sent alone. Answers may have any order (JSON-RPC
 * 2.0, section 6), so it is the one with the id of the call.
 * @param own parameters of the call, if another spelling was sent
 */
function itemOf(
  { request, exchange }: AnsweredRequest,
  position: number,
  own: JsonValue | undefined,
): AnsweredRequest | undefined {
  const sent = request.calls?.[position]
  const call = sent && own !== undefined ? { ...sent, params: own } : sent
  const { reply, outgoing } = exchange
  const json = reply && replyView(reply).json
  if (call === undefined || reply === undefined || !isArray(json) || json.length !== request.calls?.length) {
    return undefined
  }
  const { method, id } = call
  const answer = json.find((each) => isObject(each) && JSON.stringify(member(each, 'id')) === String(id))
  if (answer === undefined) return undefined
  const text = JSON.stringify(answer)
  const alone = { ...outgoing, body: callText(call), methods: [method] }
  return {
    request: { outgoing: alone, calls: [call] },
    exchange: { ...exchange, outgoing: alone, reply: { ...reply, bytes: Buffer.from(text), text } },
  }
}
