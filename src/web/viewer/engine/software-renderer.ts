export function isSoftware(context: WebGL2RenderingContext): boolean {
  const named = context.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL;
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(
    String(context.getParameter(named ?? context.RENDERER)),
  );
}

/** A context without a canvas on the page, on a graphics card; null if it would be rendered in software. */
export function openOnHardware(): WebGL2RenderingContext | null {
  if (typeof OffscreenCanvas === 'undefined') return null;
  const context = new OffscreenCanvas(1, 1).getContext('webgl2', {
    alpha: true,
    antialias: false,
    depth: false,
    failIfMajorPerformanceCaveat: true,
  });
  if (!context || !isSoftware(context)) return context;
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return null;
}
