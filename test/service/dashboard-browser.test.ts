/** The dashboard in a browser. The parts share one service with development chains, and one browser. */
import './dashboard/pages.js'
import './dashboard/live.js'
import './dashboard/setup.js'
import './dashboard/console.js'
import './dashboard/networks.js'
import './dashboard/metrics-in-browser.js'
import './dashboard/pictures.js'
