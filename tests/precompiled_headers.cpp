// No code: CMake needs a target with a source to own the precompiled headers that both test programs share.
