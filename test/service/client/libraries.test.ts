/** Clients of other authors, and ours as a provider of them: one process loads them all. */
import './libraries/members.js'
import './libraries/clients.js'
import './libraries/provider.js'
