/** The contract's bounds for accounts. */
export interface AccountLimits {
  /** Characters. */
  readonly passwordMinimumLength: number
  /** Characters. */
  readonly passwordMaximumLength: number
  /** Lowest zxcvbn score, 0 to 4, of a new password. */
  readonly passwordMinimumScore: number
  readonly sessionDays: number
  readonly resetLinkMinutes: number
  readonly verificationLinkHours: number
  /** For one client address (for IPv6 one /64). */
  readonly logInAttemptsPerAddressPerMinute: number
  readonly signUpsPerAddressPerHour: number
  readonly mailsPerAddressPerHour: number
  /** For one account, wherever the attempts come from, but for addresses that somebody has logged in from before. */
  readonly logInAttemptsPerAccountPerHour: number
}
