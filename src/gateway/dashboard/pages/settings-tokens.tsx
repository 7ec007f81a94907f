import type { JwtKey } from '../../store/access-rules.js'
import { CodeBlock } from '../parts/code-block.js'
import { Form, FormProblem, Input, Select, TextArea } from '../parts/form.js'
import { Setting } from '../parts/setting.js'
import type { SettingsProps } from '../parts/settings-values.js'

const algorithms = ['RS256', 'ES256', 'EdDSA'] as const
const fields = ['', 'jwtId', 'jwtPublicKey', 'jwtAlgorithm', 'jwtAudience']
const publicKeyLines = 6

/** The public keys that the tokens of a key's callers are signed with. */
export function TokenSettings(props: SettingsProps) {
  const { shown, limits, notice, problems } = props
  const registered = shown.access.jwt?.keys ?? []
  return (
    <section aria-labelledby="jwt">
      <h2 id="jwt">Tokens</h2>
      <Setting
        id="tokens"
        title="JWT keys"
        about={
          <>
            <p>
              With a public key here, each call needs a JSON Web Token that its private key has signed:{' '}
              <code>Authorization: Bearer …</code>, with an end (<code>exp</code>). Calls without one are
              refused with the status 401.
            </p>
            <p>
              Up to {limits.jwtKeysPerKey}, so that a new one can be taken into use before the old one goes.
            </p>
          </>
        }
        notice={notice}
      >
        <FormProblem problems={problems} />
        {registered.length === 0 ? (
          <p>None: no token is asked for.</p>
        ) : (
          <ul class="rows tokens">
            {registered.map((key) => (
              <Registered key={key.id} id={shown.id} jwtKey={key} isLast={registered.length === 1} />
            ))}
          </ul>
        )}
        {registered.length < limits.jwtKeysPerKey ? (
          <NewJwtKey {...props} />
        ) : (
          <p class="muted">These are as many as a key can have. Remove one to register another.</p>
        )}
      </Setting>
    </section>
  )
}

interface RegisteredProps {
  /** Of the API key. */
  readonly id: string
  readonly jwtKey: JwtKey
  /** True where no token is asked for any more once it is removed. */
  readonly isLast: boolean
}

function Registered({
  id,
  jwtKey: { id: jwtKeyId, algorithm, audience, publicKey },
  isLast,
}: RegisteredProps) {
  return (
    <li>
      <div>
        <strong>{jwtKeyId}</strong>
        <span class="badge">{algorithm}</span>
        {audience !== undefined && (
          <p class="muted">
            audience <code>{audience}</code>
          </p>
        )}
        <details>
          <summary>Public key</summary>
          <CodeBlock
            label={`the public key ${jwtKeyId}`}
            code={typeof publicKey === 'string' ? publicKey.trim() : JSON.stringify(publicKey)}
          />
        </details>
      </div>
      <Form action={`/keys/${id}/settings/tokens/remove`} class="inline">
        <input type="hidden" name="jwtId" value={jwtKeyId} />
        <button class="danger" type="submit" aria-label={`Remove ${jwtKeyId}`}>
          Remove
        </button>
        {isLast && <p class="muted">Then no token is asked for.</p>}
      </Form>
    </li>
  )
}

function NewJwtKey({ shown, values, problems }: SettingsProps) {
  const isRefused = problems !== undefined && fields.some((field) => field in problems)
  return (
    <details class="more" open={isRefused || shown.access.jwt === undefined}>
      <summary>Register a public key</summary>
      <Form action={`/keys/${shown.id}/settings/tokens`}>
        <TextArea
          name="jwtPublicKey"
          label="Public key"
          hint="PEM or a JWK; RSA, P-256 or Ed25519. Never the private one."
          value={values.jwtPublicKey}
          rows={publicKeyLines}
          isCode
          placeholder={'-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----'}
          problems={problems}
        />
        <Input
          name="jwtId"
          label="Key id"
          hint="Tokens may name it as kid. Empty for the kid of a JWK."
          value={values.jwtId}
          autocomplete="off"
          problems={problems}
        />
        <Select
          name="jwtAlgorithm"
          label="Algorithm"
          hint="Fixed from then on, whatever a token says."
          value={values.jwtAlgorithm}
          options={[
            ['', 'What the kind of the key says'],
            ...algorithms.map((each) => [each, each] as const),
          ]}
          problems={problems}
        />
        <Input
          name="jwtAudience"
          label="Audience (optional)"
          hint="What the aud of a token has to hold."
          value={values.jwtAudience}
          autocomplete="off"
          problems={problems}
        />
        <button type="submit">Register</button>
      </Form>
    </details>
  )
}
