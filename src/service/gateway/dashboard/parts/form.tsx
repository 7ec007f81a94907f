import type { ComponentChildren } from 'preact'
import { usePage } from './page-context.js'

interface FormProps {
  /** Path that receives the form. */
  readonly action: string
  readonly class?: string
  /** Label for screen readers. */
  readonly label?: string
  readonly children: ComponentChildren
}

/** A POST form with its CSRF token. Every form that changes something uses it. */
export function Form({ action, class: name, label, children }: FormProps) {
  const { csrf } = usePage()
  return (
    <form method="post" action={action} class={name} aria-label={label}>
      <input type="hidden" name="_csrf" value={csrf()} />
      {children}
    </form>
  )
}

/** Hidden e-mail address in password forms, which tells password managers the account. */
export function UsernameHint() {
  const { user } = usePage()
  return <input type="text" autocomplete="username" value={user?.email} readOnly hidden />
}

/** Problems of a form by field name; the empty name stands for the whole form. */
export type FormProblems = Readonly<Record<string, string>>

interface FieldProps {
  readonly name: string
  readonly label: string
  /** Text below the label. */
  readonly hint?: string | undefined
  readonly problems?: FormProblems | undefined
}

interface InputProps extends FieldProps {
  readonly type?: 'text' | 'email' | 'password'
  readonly value?: string | undefined
  readonly required?: boolean
  readonly autocomplete?: string
  /** Keyboard on phones. */
  readonly inputMode?: 'numeric'
  readonly minLength?: number
  readonly maxLength?: number
  readonly autofocus?: boolean
}

/** A labelled input field. */
export function Input({ name, label, hint, problems, type = 'text', ...input }: InputProps) {
  return (
    <Labelled name={name} label={label} hint={hint} problems={problems}>
      <input id={name} name={name} type={type} {...describedBy(name, hint, problems)} {...input} />
    </Labelled>
  )
}

interface TextAreaProps extends FieldProps {
  readonly value?: string | undefined
  readonly rows?: number
  readonly maxLength?: number
  readonly placeholder?: string
  /** True for code, which turns off spelling correction. */
  readonly isCode?: boolean
}

/** A labelled text area. */
export function TextArea({ name, label, hint, problems, value, rows = 3, ...text }: TextAreaProps) {
  const { isCode, ...others } = text
  return (
    <Labelled name={name} label={label} hint={hint} problems={problems}>
      <textarea
        id={name}
        name={name}
        rows={rows}
        {...others}
        {...(isCode ? asCode : {})}
        {...describedBy(name, hint, problems)}
        value={value ?? ''}
      />
    </Labelled>
  )
}

const asCode = { class: 'code', spellcheck: false, autocapitalize: 'off', autocorrect: 'off' } as const

interface SelectProps extends FieldProps {
  readonly value?: string | undefined
  /** Values with their display texts. */
  readonly options: readonly (readonly [value: string, text: string])[]
}

/** A labelled drop-down list. */
export function Select({ name, label, hint, problems, value, options }: SelectProps) {
  return (
    <Labelled name={name} label={label} hint={hint} problems={problems}>
      <select id={name} name={name} {...describedBy(name, hint, problems)}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

/** The problem of a whole form, as an alert for screen readers, which gets the focus. */
export function FormProblem({ problems }: { readonly problems: FormProblems | undefined }) {
  const whole = problems?.['']
  if (whole === undefined) return null
  return (
    <p class="notice bad" role="alert" tabIndex={-1} autofocus>
      {whole}
    </p>
  )
}

function Labelled({
  name,
  label,
  hint,
  problems,
  children,
}: FieldProps & { readonly children: ComponentChildren }) {
  const problem = problems?.[name]
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {problem && (
        <p class="problem" id={`${name}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}

/** ARIA attributes of a field. An invalid field also gets the focus. */
function describedBy(name: string, hint: string | undefined, problems: FormProblems | undefined) {
  const isWrong = problems?.[name] !== undefined
  const ids = [hint && `${name}-hint`, isWrong && `${name}-problem`].filter(Boolean).join(' ')
  return {
    ...(ids === '' ? {} : { 'aria-describedby': ids }),
    ...(isWrong ? { 'aria-invalid': true as const, autofocus: true } : {}),
  }
}
