/** What the service leaves out on purpose, and what to do instead. */
const leftOut: readonly { readonly title: string; readonly why: string; readonly instead: string }[] = [
  {
    title: 'Teams and roles',
    why: 'An account has one owner, one limit and one log of security events. Its owner answers for every key.',
    instead:
      'Sign up with an address that the team shares, such as that of a mailing list, and turn on a second factor whose recovery codes the team keeps. Give each program a key of its own, with its own limit and lists: a key can be disabled without the others.',
  },
  {
    title: 'Log-in with another service',
    why: 'An account at a social network or a company would then decide who reads your keys.',
    instead:
      'Use a password manager, and an authenticator app as the second factor. All sessions are listed at your account, and can be ended there.',
  },
  {
    title: 'An API to manage keys from elsewhere',
    why: 'Whoever has its token could make, read and delete every key of an account.',
    instead:
      'Make one key for each program once, and rotate it with a grace period when it must change. For callers that come and go, let the key require JSON Web Tokens, which your own backend signs. Operators of the service have the command concordat keys on its machine.',
  },
  {
    title: 'More requests for money',
    why: 'The daily limit is the same for all accounts. There are no plans, and nothing is sold.',
    instead:
      'A cache of your own needs no requests. If the limit is too low for what you do, run this service with your own nodes, or ask its operator.',
  },
]

/** The page that says what is left out on purpose. */
export function ScopePage() {
  return (
    <>
      <h1>What is left out</h1>
      <p class="lead">This service does without the following on purpose. Each has a way that works today.</p>
      {leftOut.map(({ title, why, instead }) => (
        <section class="card" key={title}>
          <h2>{title}</h2>
          <p>{why}</p>
          <p>
            <strong>Instead:</strong> {instead}
          </p>
        </section>
      ))}
    </>
  )
}
