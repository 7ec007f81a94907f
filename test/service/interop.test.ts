/** Our parts together with OpenRPC tools of other authors. */
import './interop/client-js.js'
import './interop/conform.js'
import './interop/generator.js'
import './interop/server-js.js'
