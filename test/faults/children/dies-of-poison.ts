/** Loaded with `--import`: the process dies as soon as it reads JSON with a certain field, as it would of a fault in the engine itself. */
const { parse } = JSON

JSON.parse = (text: string, reviver?: (this: any, key: string, value: any) => any): unknown => {
  if (/^\{"n":0,"poison":true\}$/.test(text)) process.kill(process.pid, 'SIGKILL')
  return parse(text, reviver)
}
