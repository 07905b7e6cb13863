/** `12 KB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
}
