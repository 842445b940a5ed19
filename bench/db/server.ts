/** Runs one server: `node server.ts <subject> <url>`. Sends its port, and its CPU time on request. */
const [, , name = '', url = ''] = process.argv
const subject = (await import(`./subjects/${name}.ts`)) as {
  serve: (url: string) => Promise<number>
}

process.on('message', () => process.send!(process.cpuUsage()))
process.on('disconnect', () => process.exit())
process.send!(await subject.serve(url))
