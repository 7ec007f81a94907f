export type {
  AccountList,
  AccountQuery,
  AccountRefusal,
  AccountSession,
  AccountSummary,
  Accounts,
  Administration,
  ClientRequest,
  SignedIn,
} from './account.js'
export { findAccount, listAccounts, setAccountDisabled } from './account-list.js'
export { createAccounts } from './accounts.js'
export { type DemoAccount, ensureDemoAccount } from './demo-account.js'
export { openMail } from './mail.js'
