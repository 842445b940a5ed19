/** {{title}}: runs after the commit of what enqueues it. */
{{imports}}
import { job } from 'fwjs/jobs'

{{definition}}
