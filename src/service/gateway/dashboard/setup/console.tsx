import { Form, type FormProblems } from '../parts/form.js'
import { Badge } from '../parts/state.js'
import { type AnsweredCall, CallAnswer } from './call-answer.js'
import type { ConsoleExample, ConsoleMethod, ConsoleParam } from './console-methods.js'

/** The selected method and the field texts. */
export interface ConsoleChoice {
  readonly method: ConsoleMethod
  /** Example that filled the fields. */
  readonly example: ConsoleExample | undefined
  /** Field texts, in the order of the parameters. */
  readonly texts: readonly string[]
}

/** An allow list that refuses the calls of this page. */
export interface RefusingList {
  readonly list: 'addresses' | 'origins'
  /** The entry that would allow them. */
  readonly missing: string
}

interface ConsoleProps {
  /** Path of the key's page. */
  readonly base: string
  readonly url: string
  readonly maskedUrl: string
  readonly network: string
  readonly isRevealed: boolean
  readonly methods: readonly ConsoleMethod[]
  /** Methods that the key allows; undefined if it allows all. */
  readonly allowed: readonly string[] | undefined
  readonly needsToken: boolean
  readonly refusingLists: readonly RefusingList[]
  readonly choice: ConsoleChoice
  readonly problems: FormProblems | undefined
  readonly call: AnsweredCall | undefined
  readonly referencePath: string
}

/** The console, which sends calls with a key and shows the answers. */
export function Console(props: ConsoleProps) {
  const { base, url, maskedUrl, isRevealed, needsToken, refusingLists, choice, call } = props
  return (
    <section
      class="card console"
      id="console"
      data-console={url}
      data-masked-url={maskedUrl}
      data-token={needsToken || undefined}
    >
      <h2>Try it</h2>
      <p class="muted">Each call counts as one of your requests.</p>
      {refusingLists.map(({ list, missing }) => (
        <p class="notice caution" key={list}>
          This key’s list of {list === 'origins' ? 'origins' : 'client addresses'} refuses calls from this
          page with status 403. To allow them, <a href={`${base}/settings#allow-${list}`}>add</a>{' '}
          <code>{missing}</code>.
        </p>
      ))}
      <div class="sides">
        <div>
          <ChooseMethod {...props} />
          <div data-method={choice.method.name}>
            <MethodCall {...props} base={base} />
          </div>
        </div>
        <CallAnswer call={call} isRevealed={isRevealed} />
      </div>
    </section>
  )
}

function ChooseMethod({ base, isRevealed, methods, allowed, choice }: ConsoleProps) {
  const groups = [...new Set(methods.map(({ group }) => group))]
  const wordsOf = ({ name, writes }: ConsoleMethod) =>
    `${name}${writes ? ' – writes' : ''}${allowed?.includes(name) === false ? ' – not allowed for this key' : ''}`
  return (
    <form method="get" class="chooser" action={`${base}#console`} data-choose>
      {isRevealed && <input type="hidden" name="show" value="url" />}
      <label for="method">Method</label>
      <div class="choose">
        <select id="method" name="method">
          {groups.map((group) => (
            <optgroup key={group} label={`${group.slice(0, 1).toUpperCase()}${group.slice(1)}`}>
              {methods
                .filter((method) => method.group === group)
                .map((method) => (
                  <option key={method.name} value={method.name} selected={method.name === choice.method.name}>
                    {wordsOf(method)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
        <button class="quiet" type="submit">
          Choose
        </button>
      </div>
    </form>
  )
}

function MethodCall({
  base,
  network,
  isRevealed,
  allowed,
  needsToken,
  choice,
  problems,
  referencePath,
}: ConsoleProps) {
  const { method, example, texts } = choice
  const shown = isRevealed ? '?show=url' : ''
  return (
    <>
      <p>
        <Prose text={method.description || method.summary} />{' '}
        <a href={`${referencePath}#method-${method.name}`}>Reference</a>
      </p>
      {method.writes && (
        <p class="notice caution">
          <strong>This method changes the chain.</strong> The call is sent to the {network.toLowerCase()} and
          cannot be undone.
        </p>
      )}
      {allowed?.includes(method.name) === false && (
        <p class="notice caution">
          This key’s method list does not allow this method. The call will be refused.
        </p>
      )}
      <ExampleLinks base={base} method={method} example={example} isRevealed={isRevealed} network={network} />
      <Form action={`${base}/call${shown}#console`} class="call">
        <input type="hidden" name="method" value={method.name} />
        {method.params.length === 0 && <p class="muted">This method has no parameters.</p>}
        {method.params.map((param, place) => (
          <Field
            key={param.name}
            param={param}
            text={texts[place] ?? ''}
            problem={problems?.[fieldName(param)]}
          />
        ))}
        {needsToken && (
          <div class="field">
            <label for="token">Token</label>
            <p class="hint" id="token-hint">
              This key requires a JSON Web Token. It is sent as <code>Authorization: Bearer</code>.
            </p>
            <input
              id="token"
              name="token"
              type="password"
              autocomplete="off"
              aria-describedby="token-hint token-problem"
              aria-invalid={problems?.['token'] !== undefined || undefined}
            />
            <p class="problem" id="token-problem" hidden={problems?.['token'] === undefined}>
              {problems?.['token']}
            </p>
          </div>
        )}
        <button type="submit">Send</button>
      </Form>
    </>
  )
}

/** Name of a parameter's input field. */
export const fieldName = ({ name }: Pick<ConsoleParam, 'name'>): string => `param-${name}`

interface ExampleLinksProps extends Pick<ConsoleProps, 'base' | 'isRevealed' | 'network'> {
  readonly method: ConsoleMethod
  readonly example: ConsoleExample | undefined
}

function ExampleLinks({ base, method, example, isRevealed }: ExampleLinksProps) {
  if (method.params.length === 0) return null
  const hrefOf = ({ name }: ConsoleExample) =>
    `${base}?${isRevealed ? 'show=url&' : ''}method=${method.name}&example=${name}#console`
  return (
    <div class="picks">
      <h3>Examples</h3>
      <ul>
        {method.examples.map((each) => (
          <li key={each.name}>
            <a href={hrefOf(each)} data-pick aria-current={each === example ? 'true' : undefined}>
              <Prose text={each.description.replace(/\.$/, '')} />
            </a>
            {each.errorCode !== undefined && <Badge>error {each.errorCode}</Badge>}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface FieldProps {
  readonly param: ConsoleParam
  readonly text: string
  readonly problem: string | undefined
}

/** Description and input field of a parameter. */
function Field({ param, text, problem }: FieldProps) {
  const { name, description, form, required, fallback, members } = param
  const id = fieldName(param)
  return (
    <div class="field">
      <label for={id}>
        {name}
        <Badge>{required ? 'required' : `optional${fallback === undefined ? '' : `: ${fallback}`}`}</Badge>
      </label>
      <p class="hint" id={`${id}-hint`}>
        <Prose text={form.startsWith(description) ? form : `${description} ${form}`.trim()} />
      </p>
      <FieldInput param={param} text={text} isWrong={problem !== undefined} />
      <p class="problem" id={`${id}-problem`} hidden={problem === undefined}>
        {problem}
      </p>
      {members.length > 0 && (
        <details class="members">
          <summary>Members</summary>
          <dl>
            {members.map((member) => (
              <div key={member.name}>
                <dt>
                  <code>{member.name}</code>
                  {member.required && <Badge>required</Badge>}
                </dt>
                <dd>
                  <Prose text={member.description} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  )
}

const fewestRows = 3
/** Characters of a line that fit on a phone. */
const columns = 30
const mostRows = 14

function FieldInput({
  param,
  text,
  isWrong,
}: {
  readonly param: ConsoleParam
  readonly text: string
  readonly isWrong: boolean
}) {
  const { kind, choices, fallback } = param
  const id = fieldName(param)
  const shared = {
    ...{ id, name: id, 'data-kind': kind, 'data-name': param.name },
    'aria-describedby': `${id}-hint ${id}-problem`,
    'aria-invalid': isWrong || undefined,
  }
  if (kind === 'boolean') {
    const omitted = fallback === undefined ? 'omitted' : `default: ${fallback}`
    return (
      <select {...shared}>
        {[['', omitted] as const, ['true', 'true'] as const, ['false', 'false'] as const].map(
          ([value, words]) => (
            <option key={value} value={value} selected={value === text}>
              {words}
            </option>
          ),
        )}
      </select>
    )
  }
  if (kind === 'json') {
    const lines = text.split('\n').map((line) => Math.ceil(line.length / columns) || 1)
    const rows = Math.min(
      Math.max(
        lines.reduce((sum, each) => sum + each, 0),
        fewestRows,
      ),
      mostRows,
    )
    return <textarea {...shared} class="code" rows={rows} spellcheck={false} value={text} />
  }
  return (
    <>
      <input
        {...shared}
        class="code"
        type="text"
        value={text}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        list={choices.length > 0 ? `${id}-choices` : undefined}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** A text of the contract, with backticks rendered as code. */
function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, place) => (place % 2 === 1 ? <code key={String(place)}>{part}</code> : part))}
    </>
  )
}
