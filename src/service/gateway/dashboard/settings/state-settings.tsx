import type { GraceUse, KeySummary } from '../../keys/index.js'
import { Fact } from '../parts/fact.js'
import { Form } from '../parts/form.js'
import { numberText } from '../parts/format.js'
import { Time } from '../parts/time.js'
import { Setting } from './setting.js'

interface OldUrlProps {
  readonly use: GraceUse
  /** True while the old URL works. */
  readonly isRunning: boolean
}

const overText = 'Requests with it are refused, and counted at the failures of this key.'
const runningText = (requests: number): string =>
  requests === 0
    ? 'No request has come with it since the rotation. A client that calls rarely may still have it.'
    : 'Move the client below to the new URL, and end the old one when it is no longer used.'

/** The use of the old URL, which tells when its grace period can be ended. */
function OldUrl({ use: { until, requests, lastUsedAt, lastClient }, isRunning }: OldUrlProps) {
  return (
    <>
      <p>
        {isRunning ? 'The old URL works until ' : 'The old URL has worked until '}
        <Time at={until} />. {isRunning ? runningText(requests) : overText}
      </p>
      <dl class="facts">
        <Fact name="Requests with the old URL">{numberText(requests)}</Fact>
        <Fact name="Last one">
          <Time at={lastUsedAt} otherwise="none" />
        </Fact>
        {lastClient !== null && (
          <Fact name="From">
            <code>{lastClient}</code>
          </Fact>
        )}
      </dl>
    </>
  )
}

/** The forms that rotate, disable, enable and delete a key. */
export function StateSettings({ shown }: { readonly shown: KeySummary }) {
  const base = `/keys/${shown.id}`
  const isEnabled = shown.state === 'enabled'
  return (
    <section id="ends" aria-label="Rotate, disable, delete">
      <Setting
        id="rotate"
        title="Rotate"
        about={
          <p>
            Gives this key a new URL. Name, settings and usage stay. The old URL stops working immediately, or
            after a grace period.
          </p>
        }
      >
        {shown.graceUse !== null && <OldUrl use={shown.graceUse} isRunning={shown.graceUntil !== null} />}
        {shown.graceUntil !== null && (
          <Form action={`${base}/end-grace`}>
            <button class="quiet" type="submit">
              End it now
            </button>
          </Form>
        )}
        <a class="button quiet" href={`${base}/rotate`}>
          Rotate key…
        </a>
      </Setting>
      <Setting
        id="state"
        title={isEnabled ? 'Disable' : 'Enable'}
        about={
          isEnabled ? (
            <p>Calls are refused until you enable it again. It still counts as one of your keys.</p>
          ) : (
            <p>The URL works again.</p>
          )
        }
      >
        {shown.disabledByOperator ? (
          <p>An operator has disabled this key.</p>
        ) : (
          <Form action={`${base}/${isEnabled ? 'disable' : 'enable'}`}>
            <button class={isEnabled ? 'danger' : ''} type="submit">
              {isEnabled ? 'Disable key' : 'Enable key'}
            </button>
          </Form>
        )}
      </Setting>
      <Setting
        id="delete"
        title="Delete"
        about={
          <p>The URL stops working immediately and cannot be restored. You can create another key then.</p>
        }
      >
        <a class="button danger" href={`${base}/delete`}>
          Delete key…
        </a>
      </Setting>
    </section>
  )
}
