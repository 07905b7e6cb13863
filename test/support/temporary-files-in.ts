/** Has whatever `work` puts among temporary files put into this folder. One at a time. */
export async function temporaryFilesIn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return await work()
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
}
