import type { Failure } from '../../administration/index.js'
import { errorMessage } from '../../administration/index.js'
import type { KeySummary } from '../../keys/index.js'
import { prettyText } from '../assets/console-call.js'
import { KeyPage } from '../one-key/key-page.js'
import { CodeBlock, CopyButton, SecretBlock } from '../parts/code-block.js'
import { Fact } from '../parts/fact.js'
import { durationText, secondText } from '../parts/format.js'
import { Hex } from '../parts/hex.js'
import { RevealLink } from '../parts/secret.js'
import { failuresPath } from './failure-links.js'
import { MethodName } from './key-failures-page.js'

interface KeyFailurePageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly failure: Failure
  /** How to send the call again; undefined for a refused request, a write, and a call that is not known as a whole. */
  readonly again: CallAgain | undefined
  readonly isRevealed: boolean
}

/** How to send a call again. */
export interface CallAgain {
  /** Path of the console with the call. */
  readonly console: string
  readonly curl: string
  readonly maskedCurl: string
}

/** One entry of the log of failures. */
export function KeyFailurePage({ shown, network, failure, again, isRevealed }: KeyFailurePageProps) {
  const { id, at, isRefused, method, code, message, requestId, milliseconds, params } = failure
  return (
    <KeyPage shown={shown} network={network} tab="/failures">
      <p class="crumbs">
        <a href={failuresPath(shown.id)}>Failures</a>
        {!isRefused && (
          <>
            {' · '}
            <a href={failuresPath(shown.id, { method, code })}>Others of this method and code</a>
          </>
        )}
      </p>
      <h2>{isRefused ? 'Refused request' : 'Failed call'}</h2>
      <dl class="card facts">
        <Fact name="Time">{secondText(at)}</Fact>
        <Fact name={isRefused ? 'Reason' : 'Method'}>
          <MethodName of={failure} />
        </Fact>
        <Fact name="Code">
          <code>{code}</code> {errorMessage(code)}
        </Fact>
        <Fact name="Message">
          <Hex text={message} />
        </Fact>
        {!isRefused && <Fact name="Latency">{durationText(milliseconds)}</Fact>}
        <Fact name="Request id">
          <code>{requestId}</code> <CopyButton text={requestId} label="Copy the request id" />
        </Fact>
      </dl>
      {params !== undefined && (
        <section aria-labelledby="params">
          <h3 id="params">Parameters</h3>
          <CodeBlock code={params.isPart ? params.text : prettyText(params.text)} label="the parameters" />
          {params.isPart && (
            <p class="muted">Long parameters are cut, and a signed transaction is shown as its hash.</p>
          )}
        </section>
      )}
      {again !== undefined && (
        <section aria-labelledby="again">
          <div class="heading">
            <h3 id="again">Send it again</h3>
            <RevealLink base={`${failuresPath(shown.id)}/${id}`} isRevealed={isRevealed} isSmall />
          </div>
          <p class="actions">
            <a class="button" href={again.console}>
              Open in the console
            </a>
          </p>
          <SecretBlock
            plain={again.curl}
            masked={again.maskedCurl}
            isRevealed={isRevealed}
            label="the call as curl"
          />
        </section>
      )}
    </KeyPage>
  )
}
