import type { SecondFactor } from '../../accounts/index.js'
import { CopyButton } from '../parts/code-block.js'
import { Form, FormProblem, type FormProblems, UsernameHint } from '../parts/form.js'
import { QrCode } from '../parts/qr-code.js'
import { CodeField, PasswordField } from './account-fields.js'

const crumbs = (
  <p class="crumbs">
    <a href="/account">Account</a>
  </p>
)

interface SecondFactorCardProps {
  readonly secondFactor: SecondFactor
}

/** The second factor, on the page of the account. */
export function SecondFactorCard({ secondFactor: { isOn, recoveryCodesLeft } }: SecondFactorCardProps) {
  return (
    <section class="card" aria-labelledby="second-factor">
      <h2 id="second-factor">Second factor</h2>
      <p>
        {isOn
          ? `On. A log-in asks for a code of your app, or for one of ${recoveryCodesLeft} recovery codes.`
          : 'Off. Anyone who knows your password can log in.'}
      </p>
      <a class="button quiet" href="/account/second-factor">
        {isOn ? 'Change the second factor' : 'Set up a second factor'}
      </a>
    </section>
  )
}

interface SecondFactorPageProps extends SecondFactorCardProps {
  readonly problems?: FormProblems
}

/** Turns the second factor on or off, and replaces its recovery codes. */
export function SecondFactorPage({ secondFactor, problems }: SecondFactorPageProps) {
  const { isOn, recoveryCodesLeft } = secondFactor
  return (
    <>
      {crumbs}
      <h1>Second factor</h1>
      <FormProblem problems={problems} />
      {isOn ? (
        <>
          <section class="card">
            <h2>Recovery codes</h2>
            <p>
              {recoveryCodesLeft} unused {recoveryCodesLeft === 1 ? 'code is' : 'codes are'} left. New codes
              replace all of them.
            </p>
            <PasswordForm
              action="/account/second-factor/codes"
              name="codesPassword"
              button="Create new recovery codes"
              problems={problems}
            />
          </section>
          <section class="card">
            <h2>Turn off</h2>
            <p>Log-ins will ask for the password only.</p>
            <PasswordForm
              action="/account/second-factor/off"
              name="offPassword"
              button="Turn off the second factor"
              isDanger
              problems={problems}
            />
          </section>
        </>
      ) : (
        <section class="card">
          <p>
            With a second factor, a log-in asks for your password and for a code of an authenticator app on
            your phone or computer. Enter your password to begin.
          </p>
          <PasswordForm
            action="/account/second-factor"
            name="setUpPassword"
            button="Continue"
            problems={problems}
          />
        </section>
      )}
    </>
  )
}

interface PasswordFormProps {
  readonly action: string
  readonly name: string
  readonly button: string
  readonly isDanger?: boolean
  readonly problems: FormProblems | undefined
}

function PasswordForm({ action, name, button, isDanger = false, problems }: PasswordFormProps) {
  return (
    <Form action={action}>
      <UsernameHint />
      <PasswordField name={name} problems={problems} />
      <button class={isDanger ? 'danger' : undefined} type="submit">
        {button}
      </button>
    </Form>
  )
}

interface SetUpPageProps {
  /** The `otpauth:` URI of the secret. */
  readonly uri: string
  readonly problems?: FormProblems
}

/** Shows the secret for an app, and asks for its first code. */
export function SetUpPage({ uri, problems }: SetUpPageProps) {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  return (
    <section class="narrow">
      {crumbs}
      <h1>Set up a second factor</h1>
      <FormProblem problems={problems} />
      <ol class="steps">
        <li>
          <p>
            Scan this code with an authenticator app, or{' '}
            <a href={uri}>open the key in an app on this device</a>.
          </p>
          <QrCode text={uri} label="QR code with the key for an authenticator app" />
          <p>Without a camera, add the key by hand (time-based, six digits):</p>
          <p>
            <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
          </p>
        </li>
        <li>
          <p>Enter the code that the app shows.</p>
        </li>
      </ol>
      <Form action="/account/second-factor/confirm">
        <input type="hidden" name="uri" value={uri} />
        <CodeField hint="Six digits." problems={problems} />
        <div class="actions">
          <button type="submit">Turn on</button>
          <a href="/account">Cancel</a>
        </div>
      </Form>
    </section>
  )
}

interface RecoveryCodesPageProps {
  readonly codes: readonly string[]
  /** True if the second factor has just been turned on. */
  readonly isFirst?: boolean
}

/** Shows new recovery codes, once. */
export function RecoveryCodesPage({ codes, isFirst = false }: RecoveryCodesPageProps) {
  const text = codes.join('\n')
  return (
    <section class="narrow">
      {crumbs}
      <h1>Save your recovery codes</h1>
      <p role="status">
        The second factor is on. {isFirst && 'All other sessions have been ended. '}Each of these codes works
        once instead of a code of your app. They are not shown again: copy them into a password manager, or
        download or print them.
      </p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p class="actions">
        <CopyButton text={text} label="Copy the codes" />
        <a
          class="button quiet small"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download="recovery-codes.txt"
        >
          Download
        </a>
        <button type="button" class="quiet small" hidden data-print>
          Print
        </button>
      </p>
      <a class="button" href="/account">
        I have saved the codes
      </a>
    </section>
  )
}
