import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes what a command gives to a file that the user named, and makes the folders that it lies in. */
export async function writeOutput(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
