/** Runs one server: `node server.ts <subject>`. Sends its port, and its CPU time on request. */
import type { Subject } from './subject.ts'

const [, , name = ''] = process.argv
const subject = (await import(`./subjects/${name}.ts`)) as Subject

process.on('message', () => process.send!(process.cpuUsage()))
process.on('disconnect', () => process.exit())
process.send!(await subject.serve())
