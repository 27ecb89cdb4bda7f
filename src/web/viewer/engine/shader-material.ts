import { type IUniform, ShaderMaterial, type ShaderMaterialParameters } from 'three';

/** A shader whose uniforms are known by name. */
export type ShaderWith<Name extends string> = ShaderMaterial & { uniforms: Record<Name, IUniform> };

export const createShader = <Name extends string>(
  parameters: ShaderMaterialParameters & { uniforms: Record<Name, IUniform> },
): ShaderWith<Name> => Object.assign(new ShaderMaterial(parameters), { uniforms: parameters.uniforms });
