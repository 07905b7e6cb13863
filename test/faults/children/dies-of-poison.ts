/**
 * Loaded with `--import`: the process crashes when an expression reads the JSON of a certain alert, like a
 * fault of the engine itself. Describing an alert before it is stored only parses it, in bounded time
 * (core/alert-source).
 */
const { parse } = JSON

JSON.parse = (text: string, reviver?: (this: any, key: string, value: any) => any): unknown => {
  const isPoison = /^\{"n":0,"poison":true\}$/.test(text)
  if (isPoison && !new Error('where').stack?.includes('describe-alert')) process.kill(process.pid, 'SIGKILL')
  return parse(text, reviver)
}
