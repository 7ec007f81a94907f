/** Accounts and operators of a service with mail. The parts share one service. */
import './dashboard/mail.js'
import './dashboard/administration.js'
