import type { KeySummary, LastRotation } from '../../keys/index.js'
import { failuresPath } from '../failures/failure-links.js'
import { Fact } from '../parts/fact.js'
import { Form } from '../parts/form.js'
import { numberText } from '../parts/format.js'
import { Time } from '../parts/time.js'
import { Setting } from './setting.js'

interface OldUrlProps {
  readonly rotation: LastRotation
  /** True while the old URL works. */
  readonly isRunning: boolean
  readonly failures: string
}

const runningText = (requests: number): string =>
  requests === 0
    ? 'No request has come with it since the rotation. A client that calls rarely may still have it.'
    : 'Move the client below to the new URL, and end the old one when it is no longer used.'

/** The use of the old URL, which tells when its grace period can be ended, and whether that was too early. */
function OldUrl({ rotation, isRunning, failures }: OldUrlProps) {
  const { at, until, requests, lastUsedAt, lastClient } = rotation
  return (
    <>
      <p>
        Rotated on <Time at={at} />.{' '}
        {isRunning ? (
          <>
            The old URL works until <Time at={until} />. {runningText(requests)}
          </>
        ) : (
          <>
            The old URL no longer works. Requests with it are refused, and counted at the{' '}
            <a href={failures}>failures</a> of this key.
          </>
        )}
      </p>
      <dl class="facts">
        <Fact name="Answered with the old URL">{numberText(requests)}</Fact>
        <Fact name="Last one">
          <Time at={lastUsedAt} otherwise="none" />
        </Fact>
        {isRunning && lastClient !== null && (
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
        {shown.lastRotation !== null && (
          <OldUrl
            rotation={shown.lastRotation}
            isRunning={shown.graceUntil !== null}
            failures={failuresPath(shown.id, { isRefused: true })}
          />
        )}
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
