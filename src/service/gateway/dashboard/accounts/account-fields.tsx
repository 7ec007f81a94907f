import type { DashboardLimits } from '../dashboard-services.js'
import { type FormProblems, Input } from '../parts/form.js'

/** Six digits, with a space as apps show them. */
const CODE_CHARACTERS = 7
/** Longest text of a recovery code that is typed, with its separators. */
const RECOVERY_CHARACTERS = 40

interface EmailFieldProps {
  readonly value?: string | undefined
  readonly problems: FormProblems | undefined
}

/** Field for the e-mail address of an account. */
export function EmailField({ value, problems }: EmailFieldProps) {
  return (
    <Input
      name="email"
      label="E-mail address"
      type="email"
      autocomplete="username"
      value={value}
      required
      problems={problems}
    />
  )
}

interface PasswordFieldProps {
  /** `password` by default. */
  readonly name?: string
  /** `Password` by default. */
  readonly label?: string
  readonly hint?: string
  readonly problems: FormProblems | undefined
}

/** Field for the current password. */
export function PasswordField({ name = 'password', label = 'Password', hint, problems }: PasswordFieldProps) {
  return (
    <Input
      name={name}
      label={label}
      type="password"
      hint={hint}
      autocomplete="current-password"
      required
      problems={problems}
    />
  )
}

interface CodeFieldProps {
  /** True if a recovery code is accepted, too. */
  readonly orRecovery?: boolean
  readonly hint: string
  readonly problems: FormProblems | undefined
}

/** Field for a code of an authenticator app. */
export function CodeField({ hint, orRecovery = false, problems }: CodeFieldProps) {
  return (
    <Input
      name="code"
      label="Code"
      hint={hint}
      autocomplete="one-time-code"
      inputMode="numeric"
      required
      maxLength={orRecovery ? RECOVERY_CHARACTERS : CODE_CHARACTERS}
      problems={problems}
    />
  )
}

interface NewPasswordFieldProps {
  /** `New password` by default. */
  readonly label?: string
  /** Additional hint about the effect of the change. */
  readonly consequence?: string
  readonly limits: DashboardLimits
  readonly problems: FormProblems | undefined
}

/** Field for a new password. */
export function NewPasswordField(props: NewPasswordFieldProps) {
  const { label = 'New password', consequence, limits, problems } = props
  const { passwordMinimumLength: least, passwordMaximumLength: most } = limits
  return (
    <Input
      name="password"
      label={label}
      type="password"
      hint={[`At least ${least} characters.`, consequence].filter(Boolean).join(' ')}
      autocomplete="new-password"
      required
      minLength={least}
      maxLength={most}
      problems={problems}
    />
  )
}
