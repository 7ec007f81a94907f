import { describeAnswer, prettyText, sortHeaders } from '../assets/console-call.js'
import { SecretBlock } from '../parts/code-block.js'
import { Hex } from '../parts/hex.js'
import type { LoopbackAnswer } from './loopback-client.js'

/** A sent call with its answer. */
export interface AnsweredCall {
  readonly answer: LoopbackAnswer
  /** Curl command for the same call. */
  readonly curl: string
  readonly maskedCurl: string
}

/** The answer to the last call. console.js fills the same elements. */
export function CallAnswer({
  call,
  isRevealed,
}: {
  readonly call: AnsweredCall | undefined
  readonly isRevealed: boolean
}) {
  const outcome = call && describeAnswer(call.answer)
  return (
    <section class="answer" aria-labelledby="answer">
      <h3 id="answer">Answer</h3>
      <p class="outcome" role="status">
        <strong class={`badge ${outcome?.isGood ? 'good' : 'bad'}`} data-answer="what" hidden={!outcome}>
          {outcome?.what}
        </strong>
        <span class="muted" data-answer="details">
          {outcome?.details ?? 'No call sent yet.'}
        </span>
      </p>
      <div data-answer="parts" hidden={!call}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content needs keyboard access */}
        <section class="body" tabIndex={0} aria-label="Body of the answer">
          <pre>
            <code data-answer="body">{call && <Hex text={prettyText(call.answer.text)} />}</code>
          </pre>
        </section>
        <h4>Response headers</h4>
        <dl class="headers" data-answer="headers">
          {sortHeaders(call?.answer.headers ?? []).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <h4>Equivalent curl command</h4>
        <div data-answer="curl">
          <SecretBlock
            plain={call?.curl ?? ''}
            masked={call?.maskedCurl ?? ''}
            isRevealed={isRevealed}
            label="the call as curl"
          />
        </div>
      </div>
    </section>
  )
}
