"""From objects to manifests: templates, quoting and the podTemplate patch."""
