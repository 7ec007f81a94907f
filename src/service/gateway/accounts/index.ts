export type {
  AccountAdministration,
  AccountList,
  AccountQuery,
  AccountRefusal,
  AccountSession,
  AccountSummary,
  Accounts,
  ClientRequest,
  SecondFactor,
  SignedIn,
  SignUpOutcome,
  UserLimits,
} from './account.js'
export { findAccount, listAccounts, setAccountDisabled, setAccountLimits } from './account-list.js'
export { createAccounts } from './accounts.js'
export { deleteExpired } from './delete-expired.js'
export { type DemoAccount, ensureDemoAccount } from './demo-account.js'
export { openMail } from './mail.js'
export { mailSecurityEvents } from './mail-security-events.js'
export { reencryptSecondFactors } from './reencrypt-second-factors.js'
export { resetSecondFactor } from './second-factor.js'
