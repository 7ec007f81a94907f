import type { KeySummary } from '../../keys/index.js'
import type { JwtKey } from '../../store/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import { KeyPage } from '../one-key/key-page.js'
import { CodeBlock } from '../parts/code-block.js'
import { Form, FormProblem, type FormProblems, Input, Select, TextArea } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { Badge } from '../parts/state.js'
import { Setting } from '../settings/setting.js'

const algorithms = ['RS256', 'ES256', 'EdDSA'] as const
const publicKeyLines = 6

/** Input of the form that registers a public key. */
export interface JwtKeyValues {
  readonly jwtId: string
  readonly jwtPublicKey: string
  /** Empty for the algorithm of the key's type. */
  readonly jwtAlgorithm: string
  readonly jwtAudience: string
}

interface KeyTokensPageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly limits: DashboardLimits
  readonly notice: string | undefined
  /** The refused input. */
  readonly values?: JwtKeyValues | undefined
  readonly problems?: FormProblems | undefined
}

/** The public keys that verify the tokens of callers. */
export function KeyTokensPage(props: KeyTokensPageProps) {
  const { shown, network, limits, notice, problems } = props
  const registered = shown.access.jwt?.keys ?? []
  return (
    <KeyPage shown={shown} network={network} tab="/tokens">
      {notice && <Notice>{notice}</Notice>}
      <FormProblem problems={problems} />
      <Setting
        id="tokens"
        title="JWT keys"
        about={
          <>
            <p>
              Once you register a public key, each call needs a JSON Web Token signed with its private key:{' '}
              <code>Authorization: Bearer …</code>, with an expiry (<code>exp</code>). Calls without a valid
              token are refused with status 401.
            </p>
            <p>
              You can register up to {limits.jwtKeysPerKey} public keys, so that you can add a new one before
              you remove the old one.
            </p>
          </>
        }
      >
        {registered.length === 0 ? (
          <p>No public keys. No token is required.</p>
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
          <p class="muted">This key has the maximum number of public keys. Remove one to register another.</p>
        )}
      </Setting>
    </KeyPage>
  )
}

interface RegisteredProps {
  /** Id of the API key. */
  readonly id: string
  readonly jwtKey: JwtKey
  /** True for the last public key. Without it, no token is required. */
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
        <Badge>{algorithm}</Badge>
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
      <Form action={`/keys/${id}/tokens/remove`} class="inline">
        <input type="hidden" name="jwtId" value={jwtKeyId} />
        <button class="danger" type="submit" aria-label={`Remove ${jwtKeyId}`}>
          Remove
        </button>
        {isLast && <p class="muted">No token is required after that.</p>}
      </Form>
    </li>
  )
}

function NewJwtKey({ shown, values, problems }: KeyTokensPageProps) {
  return (
    <details class="more" open={problems !== undefined || shown.access.jwt === undefined}>
      <summary>Register a public key</summary>
      <Form action={`/keys/${shown.id}/tokens`}>
        <TextArea
          name="jwtPublicKey"
          label="Public key"
          hint="PEM or JWK; RSA, P-256 or Ed25519. Never paste a private key."
          value={values?.jwtPublicKey}
          rows={publicKeyLines}
          isCode
          placeholder={'-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----'}
          problems={problems}
        />
        <Input
          name="jwtId"
          label="Key id"
          hint="Tokens can refer to it as kid. Leave it empty to use the kid of a JWK."
          value={values?.jwtId}
          autocomplete="off"
          problems={problems}
        />
        <Select
          name="jwtAlgorithm"
          label="Algorithm"
          hint="Only tokens with this algorithm are accepted."
          value={values?.jwtAlgorithm}
          options={[['', 'Detect from the key'], ...algorithms.map((each) => [each, each] as const)]}
          problems={problems}
        />
        <Input
          name="jwtAudience"
          label="Audience (optional)"
          hint="Required value of aud in tokens."
          value={values?.jwtAudience}
          autocomplete="off"
          problems={problems}
        />
        <button type="submit">Register</button>
      </Form>
    </details>
  )
}
