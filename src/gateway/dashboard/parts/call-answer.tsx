import { inOrder, prettyText, toldOf } from '../assets/console-call.js'
import type { OwnAnswer } from '../own-calls.js'
import { SecretBlock } from './code-block.js'

/** A call as it was sent, and what was answered. */
export interface AnsweredCall {
  readonly answer: OwnAnswer
  /** A line for a shell that sends the same. */
  readonly curl: string
  readonly maskedCurl: string
}

/** The answer to the last call; scripts fill the same places. */
export function CallAnswer({
  call,
  isRevealed,
}: {
  readonly call: AnsweredCall | undefined
  readonly isRevealed: boolean
}) {
  const told = call && toldOf(call.answer)
  return (
    <section class="answer" aria-labelledby="answer">
      <h3 id="answer">Answer</h3>
      <p class="outcome" role="status">
        <strong class={`badge ${told?.isGood ? 'good' : 'bad'}`} data-answer="what" hidden={!told}>
          {told?.what}
        </strong>
        <span class="muted" data-answer="details">
          {told?.details ?? 'Nothing has been sent yet.'}
        </span>
      </p>
      <div data-answer="parts" hidden={!call}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
        <section class="body" tabIndex={0} aria-label="Body of the answer">
          <pre>
            <code data-answer="body">{call && prettyText(call.answer.text)}</code>
          </pre>
        </section>
        <h4>Response headers</h4>
        <dl class="headers" data-answer="headers">
          {inOrder(call?.answer.headers ?? []).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <h4>The same with curl</h4>
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
