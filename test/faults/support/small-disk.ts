import { spawnSync } from 'node:child_process'

/** The program and its arguments to start another one by, before which `script` is run with mounts of its own, which only the two of them see. */
export const withMounts = (script: string): readonly string[] => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  `${script} && exec "$@"`,
  'sh',
]

/** Whether that may be done here. */
export const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /tmp']).status === 0

/** A folder on a disk of its own, that has so many megabytes. */
export const onSmallDisk = (folder: string, megabytes: number): readonly string[] =>
  withMounts(`mkdir -p '${folder}' && mount -t tmpfs -o size=${megabytes}m,mode=700 tmpfs '${folder}'`)
