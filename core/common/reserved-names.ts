/**
 * Whether Windows takes a file of this name for a device, with or without an extension: `nul`, `con.yaml`, `COM1.tar.gz`. What is written there
 * is lost, so nothing that may become a file is called so, on any system.
 */
export function isReservedOnWindows(fileName: string): boolean {
  const [base = ''] = fileName.split('.', 1)
  return /^(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$|clock\$)$/i.test(base.trim())
}
